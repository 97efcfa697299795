// Writes values of a run into an .npz file one after the other, so that captured values need not fit into
// memory.
#pragma once

#include "isa/Base/Tensor/Npz.h"
#include "reference/Model/Graph.h"

#include <set>
#include <string>
#include <vector>

namespace tilerig::reference {

class Capture {
public:
  // `names` are values that the model's main graph computes, possibly several separated by commas, or "all".
  // Names that the model does not have are an error.
  static Result<Capture> create(const Graph &graph, const std::vector<std::string> &names,
                                const std::string &path);

  // Writes the value if its name was requested.
  Status add(const std::string &name, const Tensor &value);
  // Completes the .npz file and moves it to its final name.
  Status commit();

  size_t count() const { return written; }

private:
  explicit Capture(NpzWriter writer) : writer(std::move(writer)) {}

  NpzWriter writer;
  bool all = false;
  std::set<std::string, std::less<>> wanted;
  size_t written = 0;
};

} // namespace tilerig::reference
