"""The pages of a player's personal tokens."""

from flask import Blueprint

bp = Blueprint("tokens", __name__)
