"""What the SQL of a mail costs: `__main__` compares it with psycopg alone."""
