class HoldemEstimator: pass
