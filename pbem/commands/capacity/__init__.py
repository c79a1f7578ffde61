"""`pbem capacity`: what a site with so many open matches would need."""
