"""Does a judge say the same again, and has it changed since it was measured?"""
