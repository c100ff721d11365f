# YADE's side of `make bench-peers`: a pile of '#', each a clump of 28 spheres that stay in the plane.
#
#   yade -x -n yade_pile.py DISCS.txt WIDTH STIFFNESS DT WARMUP STEPS OUT.txt
#
# DISCS.txt: clump x y radius mass, a line a sphere. Writes x y radius clump of all spheres to OUT.txt and prints the
# seconds of the timed steps.
import sys
import time

discs_file, width, stiffness, dt, warmup, steps, out_file = sys.argv[1:8]
width, stiffness, dt, warmup, steps = float(width), float(stiffness), float(dt), int(warmup), int(steps)
rows = [line.split() for line in open(discs_file)]
radius = float(rows[0][3])
volume = 4 / 3 * 3.141592653589793 * radius**3
# Two equal spheres meet with the stiffness young * radius.
material = O.materials.append(
    FrictMat(young=stiffness / radius, poisson=0.5, frictionAngle=0.46364760900080615, density=float(rows[0][4]) / volume)
)
clumps = {}
for clump, x, y, r, _ in rows:
    clumps.setdefault(clump, []).append(utils.sphere((float(x), float(y), 0), float(r), material=material))
for members in clumps.values():
    clump_id, _ = O.bodies.appendClumped(members, discretization=0)
    O.bodies[clump_id].state.blockedDOFs = "zXY"
O.bodies.append([
    utils.wall(0, axis=1, sense=1, material=material),
    utils.wall(0, axis=0, sense=1, material=material),
    utils.wall(width, axis=0, sense=-1, material=material),
])
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist=0.3 * radius),
    InteractionLoop(
        [Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
        [Ip2_FrictMat_FrictMat_FrictPhys()],
        [Law2_ScGeom_FrictPhys_CundallStrack()],
    ),
    NewtonIntegrator(gravity=(0, -9.81, 0), damping=0.3),
]
O.dt = dt
O.run(warmup, wait=True)
begin = time.perf_counter()
O.run(steps, wait=True)
seconds = time.perf_counter() - begin
with open(out_file, "w") as out:
    for body in O.bodies:
        if isinstance(body.shape, Sphere):
            out.write(f"{body.state.pos[0]} {body.state.pos[1]} {body.shape.radius} {body.clumpId}\n")
print(f"seconds {seconds:.9g}")
