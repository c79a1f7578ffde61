"""What people see: phrases with the names put in, boards with the symbols put in, pictures for mails."""
