"""The reference of the API, as pages."""

from flask import Blueprint

bp = Blueprint("reference", __name__)
