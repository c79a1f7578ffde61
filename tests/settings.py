"""The settings of a production."""

from __future__ import annotations

SECRET = "s" * 32
PRODUCTION = {
    "PBEM_URL": "https://play.example.org",
    "DATABASE_URL": "postgresql://pbem:dbword@db.example.org/pbem",
    "REDIS_URL": "redis://:redisword@redis.example.org:6379/0",
    "PBEM_SECRET": SECRET,
    "SMTP_URL": "smtp://alice:mailword@mail.example.org",
    "PBEM_FROM": "play@example.org",
}
