// Schema of what happens in time: [[motions]], [[events]], [[delete]].
#include "scree/scene/schema_tools.hpp"

namespace scree::schema {

namespace {

using enum FieldType;

Section motions() {
  const Words turning = {"rotation", "oscillation", "keyframes"};
  const Words steady = {"constant", "rotation"};
  Section s{"motions[]",
            "Prescribed motions. Everything a motion moves moves as one rigid body. Groups move their kinematic "
            "grains.",
            "kind",
            {}};
  s.fields = {
      choice("kind", "required", {"constant", "rotation", "oscillation", "keyframes"}, "how it moves"),
      field(text, "name", "", "", "for events and messages; left out: `motion1`, `motion2`, ..."),
      field(texts, "walls", "[]", "", "walls it moves"),
      field(texts, "groups", "[]", "", "groups whose kinematic grains it moves"),
      number("start", "0", "time", "when it begins", not_negative),
      number("duration", "", "time", "it stops, and stays, after this long; left out: never", positive),
      field(boolean, "running", "true", "", "false: waits for a `start-motion` event"),
      only(steady, number("ramp", "0", "time", "speed grows linearly from 0 over this time", not_negative)),
      only({"constant"}, field(vector, "velocity", "required", "length/time", "velocity")),
      only(turning, field(vector, "centre", "[0, 0]", "length", "world point it turns about")),
      only({"rotation"}, field(angle, "omega", "required", "rad/time", "counter-clockwise")),
      only({"oscillation"}, field(vector, "amplitude", "[0, 0]", "length", "of the shift")),
      only({"oscillation"}, field(angle, "angular_amplitude", "0", "rad", "of the turn about `centre`")),
      only({"oscillation"}, number("frequency", "required", "1/time", "cycles a unit of time", positive)),
      only({"oscillation"}, field(angle, "phase", "0", "rad", "shift = amplitude (sin(2 pi f t + phase) - sin phase)")),
      only({"keyframes"}, field(tables, "keyframes", "required", "", "at least one; see the next table")),
  };
  return s;
}

Section keyframes() {
  Section s{"motions[].keyframes[]", "Frames of a motion, in order of time; a smooth curve joins them.", "", {}};
  s.fields = {
      number("time", "required", "time", "since the start of the motion", not_negative),
      field(angle, "angle", "0", "rad", "turn about `centre`"),
      field(vector, "shift", "[0, 0]", "length", "displacement"),
  };
  return s;
}

Section events() {
  const Words targeted = {"remove-wall", "add-wall",     "start-motion", "stop-motion",
                          "insert",      "remove-group", "release-group"};
  Section s{"events[]", "Things that happen once, at a time.", "action", {}};
  s.fields = {
      number("time", "required", "time", "when", not_negative),
      choice("action", "required",
             {"remove-wall", "add-wall", "set-gravity", "start-motion", "stop-motion", "insert", "remove-group",
              "release-group"},
             "what; release-group lets fixed and kinematic grains of a group move"),
      only(targeted, field(texts, "targets", "required", "", "names of the walls, motions, insertions or groups")),
      only({"set-gravity"}, field(vector, "gravity", "required", "length/time^2", "the new vector")),
  };
  return s;
}

Section deletion() {
  Section s{"delete[]", "A grain whose centre is in the box (or outside of it) is removed.", "", {}};
  s.fields = {
      field(text, "name", "", "", "for messages; left out: `delete1`, `delete2`, ..."),
      field(interval, "x", "", "length", "range of the box in x; left out: all x"),
      field(interval, "y", "", "length", "range of the box in y; left out: all y"),
      field(boolean, "outside", "false", "", "true: remove what is outside of the box"),
  };
  return s;
}

}  // namespace

std::vector<Section> time_sections() { return {motions(), keyframes(), events(), deletion()}; }

}  // namespace scree::schema
