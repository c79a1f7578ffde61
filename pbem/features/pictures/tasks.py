"""The task that draws the pictures that are due, a few frames at a time."""

from pbem.features.pictures import drawing
from pbem.services.hooks import Task

TASKS = {"draw": Task(5.0, "queue", drawing.draw_frames_of_next_picture, wakes=True)}
