class Values: pass
def equity_values(): return Values()
