#include "bindings.hpp"
#include "scree/base/error.hpp"

namespace scree::python {

namespace {

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::physics:
      return "PhysicsError";
    case ErrorKind::system:
      return "FileError";
    case ErrorKind::input:
      break;
  }
  return "InputError";
}

void raise(const Error& e) {
  const nb::object type = nb::module_::import_("scree.errors").attr(class_of(e.kind()));
  const nb::object error = type(e.what(), e.where(), e.problem(), e.remedy());
  PyErr_SetObject(type.ptr(), error.ptr());
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Error& e) { raise(e); }
  });
}

}  // namespace scree::python

NB_MODULE(_core, m) {
  using namespace scree::python;
  m.doc() = "The engine behind the package scree, which documents it.";
  m.attr("version") = SCREE_VERSION;
  bind_errors(m);
  bind_shapes(m);
  bind_maps(m);
  bind_scenes(m);
  bind_measures(m);
  bind_simulation(m);
  bind_records(m);
  bind_worlds(m);
}
