// Values of a run on their way into an .npz file, one after the other: what is captured need not fit memory.
#pragma once

#include "isa/Tensor/Npz.h"
#include "reference/Model/Graph.h"

#include <set>
#include <string>
#include <vector>

namespace tilerig::reference {

class Capture {
public:
  // `names`: of values that the model's main graph computes, several of them separated by commas, or "all".
  // Refuses names that the model does not have.
  static Result<Capture> create(const Graph &graph, const std::vector<std::string> &names,
                                const std::string &path);

  // Keeps the value if it is one of those wanted.
  Status add(const std::string &name, const Tensor &value);
  // Gives the file its name.
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
