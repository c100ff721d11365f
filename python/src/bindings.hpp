#pragma once
// The parts of the extension module scree._core, and what they share. The module is thin: names, checks of types,
// arrays. What a user sees is the package python/scree around it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "scree/world/world.hpp"

namespace scree::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_shapes(nb::module_& m);
void bind_maps(nb::module_& m);
void bind_scenes(nb::module_& m);
void bind_measures(nb::module_& m);
void bind_simulation(nb::module_& m);
void bind_records(nb::module_& m);
void bind_worlds(nb::module_& m);

using Array = nb::ndarray<nb::numpy, double>;
using Facts = nb::typed<nb::dict, nb::str, nb::any>;
using Points = nb::ndarray<nb::numpy, const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<nb::numpy, const double, nb::shape<-1>, nb::c_contig, nb::device::cpu>;

// A NumPy array that owns `values`.
template <class T, class Value>
nb::ndarray<nb::numpy, T> array_of(std::vector<Value> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<Value>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  return {reinterpret_cast<T*>(kept->data()), shape, owner};
}
inline Array array_of(std::vector<double> values) {
  const std::size_t n = values.size();
  return array_of<double>(std::move(values), {n});
}
inline Array array_of(std::vector<Vec2d> points) {
  const std::size_t n = points.size();
  return array_of<double>(std::move(points), {n, 2});
}

// Contacts as rows of bytes, which the package gives their names; walls with what they are and where.
nb::ndarray<nb::numpy, std::uint8_t> contact_rows(const World& world);
std::vector<Facts> wall_facts(const World& world);

// For properties that return such arrays: the usual policy of a property would give them a second owner.
inline constexpr auto has_owner = nb::rv_policy::automatic;

// Runs `job` in a thread of its own. Meanwhile this one looks for Ctrl-C and hands on progress to `report`, a callable
// (fraction, what) or None, with the interpreter free for others in between. On Ctrl-C, or when `report` throws, the
// job ends at its next report.
using JobProgress = std::function<void(double fraction, const std::string& what)>;
void run_job(const std::function<void(const JobProgress&)>& job, const nb::object& report);

}  // namespace scree::python
