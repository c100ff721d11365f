// Initial states of grains: CSV, NumPy arrays and archives of them, told apart by how they begin.
#include "input.hpp"
#include "scree/scene/body_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scree;
  const std::string_view content = fuzz::text_of(data, size);
  const char* ending = content.starts_with("\x93NUMPY") ? ".npy" : content.starts_with("PK") ? ".npz" : ".csv";
  BodyFile file;
  file.path = fuzz::as_file(std::string("bodies") + ending, content);
  file.ignore = {"mass"};
  fuzz::answered([&] {
    const BodyTable table = read_body_table(file);
    table.place(table.rows - 1, "x");
  });
  file.time = 0.5;
  fuzz::answered([&] { read_body_table(file); });
  return 0;
}
