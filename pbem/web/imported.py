"""The viewer for logs that were sent to the API."""

from flask import Blueprint

bp = Blueprint("imported", __name__)
