"""Board poker over ranges: public betting trees, hands as vectors, discounted CFR, and what is solved with them."""
