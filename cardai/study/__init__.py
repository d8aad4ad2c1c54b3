"""What a person learns from: decisions graded by a judge, mistakes and their sums, drills, statistics over sittings; any game."""
