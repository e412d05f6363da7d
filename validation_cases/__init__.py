"""validation_cases"""
