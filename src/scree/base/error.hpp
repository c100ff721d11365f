#pragma once
// Errors a user meets. Each says what is wrong and what to do; `where` names file:line and field when known.
#include <stdexcept>
#include <string>

namespace scree {

enum class ErrorKind {
  input,    // a scene, shape, map file or option is wrong
  physics,  // a simulation went wrong: the watchdog stopped it
  system,   // a file, the disk or a helper program failed
};

class Error : public std::runtime_error {
 public:
  // `what()` reads "where: problem", then "  remedy: ..." on a second line; empty parts are left out.
  Error(ErrorKind kind, std::string where, std::string problem, std::string remedy = {});

  ErrorKind kind() const { return kind_; }
  const std::string& where() const { return where_; }
  const std::string& problem() const { return problem_; }
  const std::string& remedy() const { return remedy_; }

 private:
  ErrorKind kind_;
  std::string where_;
  std::string problem_;
  std::string remedy_;
};

}  // namespace scree
