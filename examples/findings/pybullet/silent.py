"""What PyBullet 3.2.7 does without a word: each function is one finding, ``python silent.py`` prints them all."""

import math

import pybullet as p

H = 1e-4  # s, the step


def slider(mass=1.0, radius=0.5, step=H):
    """Return a fresh world with one sphere on a prismatic joint along x; its motor and its damping are off."""
    p.resetSimulation()
    p.setTimeStep(step)
    sphere = p.createCollisionShape(p.GEOM_SPHERE, radius=radius)
    zero, turn = [(0, 0, 0)], [(0, 0, 0, 1)]
    places = {"linkPositions": zero, "linkOrientations": turn}
    frames = {"linkInertialFramePositions": zero, "linkInertialFrameOrientations": turn}
    joint = {"linkParentIndices": [0], "linkJointTypes": [p.JOINT_PRISMATIC], "linkJointAxis": [(1, 0, 0)]}
    shapes = {"linkMasses": [mass], "linkCollisionShapeIndices": [sphere], "linkVisualShapeIndices": [-1]}
    body = p.createMultiBody(baseMass=0, **shapes, **places, **frames, **joint)
    motor(body, 0)
    p.changeDynamics(body, 0, linearDamping=0, angularDamping=0, jointDamping=0, lateralFriction=0)
    return body


def wall(x):
    """Return a plane that a body meets at x, moving along x."""
    shape = p.createCollisionShape(p.GEOM_PLANE, planeNormal=(-1, 0, 0))
    return p.createMultiBody(0, shape, basePosition=(x, 0, 0))


def motor(body, force):
    """Brake a joint with at most this force (N)."""
    p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, targetVelocity=0, force=force)


def run(body, velocity, end, step=H):
    """Return position and velocity after the start at x = 0."""
    p.resetJointState(body, 0, 0.0, velocity)
    for _ in range(round(end / step)):
        p.stepSimulation()
    return p.getJointState(body, 0)[:2]


def stiffness_in_series():
    """Return the depth of 1 kg with 1 m/s, 1e4 N/m on both bodies, and on the plane alone (truth: 10 mm)."""
    found = []
    for both in (True, False):
        body = slider()
        plane = wall(0.75)
        p.changeDynamics(plane, -1, contactStiffness=1e4, contactDamping=0)
        if both:
            p.changeDynamics(body, 0, contactStiffness=1e4, contactDamping=0)
        p.resetJointState(body, 0, 0.0, 1.0)
        deepest = 0.0
        for _ in range(round(0.3 / H)):
            p.stepSimulation()
            deepest = max(deepest, p.getJointState(body, 0)[0] - 0.25)
        found.append(deepest)
    return found


def damping_of_the_other_body():
    """Return the rebound with contactDamping=0 of the plane alone (the 0.1 N s/m of the sphere stay), and of both."""
    found = []
    for both in (False, True):
        body = slider(step=2e-5)
        plane = wall(0.75)
        p.changeDynamics(plane, -1, contactStiffness=1e4, contactDamping=0)
        if both:
            p.changeDynamics(body, 0, contactStiffness=1e18, contactDamping=0)
        found.append(run(body, 1.0, 0.6, 2e-5)[1])
    return found


def friction_by_the_step_of_the_call():
    """Return the path of 1 kg with 1 m/s under a motor of 1 N that is told before setTimeStep, and after it (0.5 m)."""
    found = []
    for told_first in (True, False):
        body = slider(step=1 / 240)
        if told_first:
            motor(body, 1.0)
        p.setTimeStep(1e-3)
        if not told_first:
            motor(body, 1.0)
        found.append(run(body, 1.0, 1.5, 1e-3)[0])
    return found


def velocity_that_is_cut():
    """Return place and velocity of a free mass after 0.1 s with 200 m/s."""
    return run(slider(step=1e-3), 200.0, 0.1, 1e-3)


def settings_of_one_call():
    """Return what is left of contact damping 0 and stiffness 1e4: maxJointVelocity in the same call, and without."""
    found = []
    for more in ({"maxJointVelocity": 100}, {}):
        body = slider()
        p.changeDynamics(body, 0, contactStiffness=1e4, contactDamping=0, **more)
        found.append(p.getDynamicsInfo(body, 0)[8:10])
    return found


def damping_that_nobody_asked_for():
    """Return the velocity of a free link after 1 s and of a free body after 10 s that start with 1 m/s."""
    body = slider(step=1e-3)
    p.changeDynamics(body, 0, linearDamping=0.04)  # that of the default, which slider() takes away
    link = run(body, 1.0, 1.0, 1e-3)[1]
    p.resetSimulation()
    p.setTimeStep(1e-3)
    body = p.createMultiBody(1.0, p.createCollisionShape(p.GEOM_SPHERE, radius=0.5))
    p.resetBaseVelocity(body, (1, 0, 0))
    for _ in range(10_000):
        p.stepSimulation()
    return link, p.getBaseVelocity(body)[0][0]


def slid(degrees, mu, step):
    """Return how far a box slides down a plane in 1 s from rest (m)."""
    p.resetSimulation()
    p.setTimeStep(step)
    slope = math.radians(degrees)
    p.setGravity(9.81 * math.sin(slope), 0, -9.81 * math.cos(slope))
    ground, box = (p.createCollisionShape(p.GEOM_BOX, halfExtents=half) for half in ((50, 50, 1), (0.5, 0.5, 0.1)))
    floor, body = (
        p.createMultiBody(0, ground, basePosition=(0, 0, -1)),
        p.createMultiBody(1, box, basePosition=(0, 0, 0.1)),
    )
    p.changeDynamics(floor, -1, lateralFriction=1.0)
    p.changeDynamics(body, -1, lateralFriction=mu, linearDamping=0, angularDamping=0)
    for _ in range(round(1 / step)):
        p.stepSimulation()
    return p.getBasePositionAndOrientation(body)[0][0]


def creep_of_a_box_that_should_stick():
    """Return the path in 1 s down 20 degrees, tan = 0.364, with mu = 0.37: steps of 1/240 s and 1 ms."""
    return slid(20, 0.37, 1 / 240), slid(20, 0.37, 1e-3)


def bounced(step, e=0.75, height=1.0):
    """Return how high (m) a sphere bounces after a fall."""
    p.resetSimulation()
    p.setTimeStep(step)
    p.setGravity(0, 0, -9.81)
    radius = 0.0906
    floor = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE), basePosition=(0, 0, -radius))
    ball = p.createMultiBody(1, p.createCollisionShape(p.GEOM_SPHERE, radius=radius), basePosition=(0, 0, height))
    p.changeDynamics(floor, -1, restitution=1)
    p.changeDynamics(ball, -1, restitution=e, linearDamping=0, angularDamping=0)
    touched, top = False, 0.0
    for _ in range(round(1.2 / step)):
        p.stepSimulation()
        z, speed = p.getBasePositionAndOrientation(ball)[0][2], p.getBaseVelocity(ball)[0][2]
        touched = touched or bool(p.getContactPoints(ball, floor))
        if touched and speed > 0:
            top = max(top, z)
        elif top > 0:
            break
    return top


def bounce_by_the_place_of_the_step():
    """Return the height of the first bounce over e² h (truth: 1), e = 3/4, with steps of 1, 0.5 and 0.1 ms."""
    return [bounced(step) / 0.75**2 for step in (1e-3, 5e-4, 1e-4)]


if __name__ == "__main__":
    p.connect(p.DIRECT)
    for finding in (
        stiffness_in_series,
        damping_of_the_other_body,
        friction_by_the_step_of_the_call,
        velocity_that_is_cut,
        settings_of_one_call,
        damping_that_nobody_asked_for,
        creep_of_a_box_that_should_stick,
        bounce_by_the_place_of_the_step,
    ):
        print(finding.__name__, finding())
