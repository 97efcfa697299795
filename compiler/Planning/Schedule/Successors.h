// Reversed dependency graph: for every task the later tasks that depend on it.
#pragma once

#include "compiler/Planning/Schedule/Dependencies.h"

namespace tilerig::compiler {

class Successors {
public:
  explicit Successors(const Dependencies &dependencies) : first(dependencies.numTasks() + 1) {
    for (const Dependency &dependency : dependencies.edges)
      ++first[dependency.before + 1];
    for (size_t i = 1; i < first.size(); ++i)
      first[i] += first[i - 1];
    edges.resize(dependencies.edges.size());
    std::vector<size_t> next(first.begin(), first.end() - 1);
    for (uint32_t task = 0; task < dependencies.numTasks(); ++task)
      for (const Dependency &dependency : dependencies.of(task))
        edges[next[dependency.before]++] = {task, dependency.kinds};
  }

  // The later tasks that depend on a task. In each returned entry, Dependency::before holds the number of the
  // later task.
  std::span<const Dependency> of(uint32_t task) const {
    return std::span(edges).subspan(first[task], first[task + 1] - first[task]);
  }

private:
  std::vector<Dependency> edges;
  std::vector<size_t> first;
};

} // namespace tilerig::compiler
