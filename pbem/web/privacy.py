"""The pages on which a player changes his address, or goes away."""

from flask import Blueprint

bp = Blueprint("privacy", __name__)
