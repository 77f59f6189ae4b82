from sqlmesh import signal


@signal()
def oven_is_hot(batch, degrees: int = 200):
    return degrees < 300
