#pragma once
// What writer and reader of trajectories share. Private to record/.
#include <string>
#include <vector>

#include "scree/record/archive.hpp"
#include "scree/record/frame.hpp"
#include "scree/record/world_fields.hpp"

namespace scree {

// The numbers of a Ledger as a row, by the field list.
struct RowOut {
  std::vector<double> row;
  void operator()(const char*, double value) { row.push_back(value); }
};
struct RowIn {
  const double* next;
  void operator()(const char*, double& value) { value = *next++; }
};
struct RowNames {
  std::vector<std::string> names;
  void operator()(const char* name, double) { names.emplace_back(name); }
};

template <class Visitor>
Visitor visited(Visitor visitor, Ledger ledger) {
  fields(visitor, ledger);
  return visitor;
}

template <class F>
void static_fields(F& f, Statics& s) {
  f.list("shapes", s.shapes), f.list("types", s.types), f.list("materials", s.materials);
  f("groups", s.groups), f.list("walls", s.walls), f.group("periodic", s.periodic);
}

}  // namespace scree
