#include "reference/Tools/Capture.h"

#include "reference/Tools/Names.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::reference {

static std::vector<std::string> computedNames(const Graph &graph) {
  std::vector<ValueId> ids;
  for (const Node &node : graph.nodes)
    std::ranges::copy_if(node.outputs, std::back_inserter(ids), [](ValueId id) { return id != absent; });
  return namesOf(graph, ids);
}

static bool isGiven(const Graph &graph, const std::string &name) {
  auto isNamed = [&](ValueId id) { return graph.values[static_cast<size_t>(id)].name == name; };
  return std::ranges::any_of(graph.inputs, isNamed) ||
         std::ranges::any_of(graph.initialisers, [&](const auto &entry) { return isNamed(entry.first); });
}

// Splits "a,b" into a and b, unless a value has exactly that name.
static std::vector<std::string> splitNames(const std::string &option,
                                           const std::set<std::string, std::less<>> &known) {
  if (known.contains(option))
    return {option};
  std::vector<std::string> names;
  for (size_t begin = 0, end; begin <= option.size(); begin = end + 1) {
    end = std::min(option.find(',', begin), option.size());
    names.push_back(option.substr(begin, end - begin));
  }
  return names;
}

Result<Capture> Capture::create(const Graph &graph, const std::vector<std::string> &options,
                                const std::string &path) {
  std::vector<std::string> computed = computedNames(graph);
  std::set<std::string, std::less<>> known(computed.begin(), computed.end()), wanted;
  bool all = false;
  for (const std::string &option : options)
    for (const std::string &name : splitNames(option, known)) {
      if (known.contains(name))
        wanted.insert(name);
      else if (name == "all")
        all = true;
      else if (isGiven(graph, name))
        return usageError("--capture " + name,
                          "the value is an input or an initialiser; only computed values can be captured");
      else
        return usageError("--capture " + name, "the model computes no value of this name",
                          suggestName(name, computed));
    }
  TILERIG_TRY(NpzWriter writer, NpzWriter::create(path));
  Capture capture(std::move(writer));
  capture.all = all;
  capture.wanted = std::move(wanted);
  return capture;
}

Status Capture::add(const std::string &name, const Tensor &value) {
  if (!all && !wanted.contains(name))
    return success();
  TILERIG_CHECK_OK(writer.add(name, value));
  ++written;
  return success();
}

Status Capture::commit() { return writer.commit(); }

} // namespace tilerig::reference
