// Box2D's side of `make bench-peers`: a pile of '#', each four boxes on one body, from a list of poses.
//
//   box2d_pile POSES.txt WIDTH WARMUP STEPS    POSES.txt: x y angle, a line a grain
//
// Prints: seconds of the timed steps, and the deepest overlap of any contact in metres, as Box2D itself sees it.
#include <box2d/box2d.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace {

constexpr float step = 1.0F / 60.0F;  // its customary step and iterations
constexpr int velocity_iterations = 8, position_iterations = 3;
constexpr float friction = 0.5F, density = 1000.0F;
constexpr float bar = 0.3F, spacing = 0.7F, half_length = 0.8660254F;  // of Scree's # of circumradius 1

void add_box(b2Body& body, float hx, float hy, b2Vec2 centre) {
  b2PolygonShape shape;
  shape.SetAsBox(hx, hy, centre, 0);
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.density = density;
  fixture.friction = friction;
  body.CreateFixture(&fixture);
}

void add_grain(b2World& world, float x, float y, float angle) {
  b2BodyDef definition;
  definition.type = b2_dynamicBody;
  definition.position.Set(x, y);
  definition.angle = angle;
  definition.allowSleep = false;  // a bed that is at rest would cost nothing, and tell nothing
  b2Body& body = *world.CreateBody(&definition);
  for (const float side : {-1.0F, 1.0F}) {
    add_box(body, half_length, bar / 2, {0, side * spacing / 2});
    add_box(body, bar / 2, half_length, {side * spacing / 2, 0});
  }
}

void add_walls(b2World& world, float width) {
  b2BodyDef definition;
  b2Body& ground = *world.CreateBody(&definition);
  const b2Vec2 corners[] = {{0, 2000}, {0, 0}, {width, 0}, {width, 2000}};
  for (int k = 0; k < 3; ++k) {
    b2EdgeShape edge;
    edge.SetTwoSided(corners[k], corners[k + 1]);
    b2FixtureDef fixture;
    fixture.shape = &edge;
    fixture.friction = friction;
    ground.CreateFixture(&fixture);
  }
}

float deepest_overlap(b2World& world) {
  float deepest = 0;
  for (b2Contact* c = world.GetContactList(); c != nullptr; c = c->GetNext()) {
    if (!c->IsTouching()) continue;
    b2WorldManifold manifold;
    c->GetWorldManifold(&manifold);
    for (int k = 0; k < c->GetManifold()->pointCount; ++k) deepest = std::max(deepest, -manifold.separations[k]);
  }
  return deepest;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: box2d_pile POSES.txt WIDTH WARMUP STEPS\n");
    return 2;
  }
  b2World world({0, -9.81F});
  world.SetAllowSleeping(false);
  add_walls(world, std::strtof(argv[2], nullptr));
  std::ifstream poses(argv[1]);
  for (float x, y, angle; poses >> x >> y >> angle;) add_grain(world, x, y, angle);
  for (int k = 0; k < std::atoi(argv[3]); ++k) world.Step(step, velocity_iterations, position_iterations);
  const auto begin = std::chrono::steady_clock::now();
  const int steps = std::atoi(argv[4]);
  for (int k = 0; k < steps; ++k) world.Step(step, velocity_iterations, position_iterations);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%.9g %.6g\n", seconds.count(), static_cast<double>(deepest_overlap(world)));
  return 0;
}
