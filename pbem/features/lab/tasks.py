"""What a worker plays for `--distribute`."""

from pbem.features.lab.simulations import simulate

REQUESTS = {"simulate": lambda _site, *asked: simulate(*asked)}
