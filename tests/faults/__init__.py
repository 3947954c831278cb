"""The real service under real faults: processes killed, databases lost, disks full.

CONTENTSVC_FAULT_SECONDS is how long the long runs take (20), CONTENTSVC_FAULT_SEED what their
dice begin with.
"""
