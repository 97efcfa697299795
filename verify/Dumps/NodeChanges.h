// Mistakes in one node of a model, such as another axis, exchanged operands or a function that is left out. A wrong value that the model
// computes if one of its nodes is changed so was computed with that mistake.
#pragma once

#include "isa/Bugs/Bug.h"
#include "reference/Model/Graph.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tilerig::verify {

struct NodeChange {
  std::string words;             // "Softmax 'soft' with axis 1 in place of 2"
  std::vector<BugClass> classes; // those that make this mistake, the most frequent first
  // Changes a graph in which the node is number `node`.
  std::function<void(reference::Graph &graph, size_t node)> apply;
};

// The changes of a node that are worth trying. `ranks` are the numbers of axes of its operands.
std::vector<NodeChange> changesOf(const reference::Graph &graph, const reference::Node &node,
                                  std::span<const size_t> ranks);

// The exchange of a node with another one that alone reads its result, if both may stand in either place.
std::vector<NodeChange> exchangesOf(const reference::Graph &graph, const reference::Node &node);

} // namespace tilerig::verify
