"""How much of pbem a request passes through: `__main__` compares two trees, and `subject` counts in one."""
