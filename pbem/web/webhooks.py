"""The pages of a player's webhooks."""

from flask import Blueprint

bp = Blueprint("webhooks", __name__)
