// Determines which values of a graph a device with 8-bit memories would store, and which constants are
// weights, from the graph alone, without a compiler.
//
// A value is stored unless its only reader is an element-wise function of it and constants (activation, batch
// normalisation, bias), which devices fuse into the operator before storing. Operators that only move or
// select elements produce elements that are already stored.
#pragma once

#include "reference/Model/Graph.h"

#include <map>
#include <set>

namespace tilerig::reference {

struct StoredValues {
  // values that a device stores in 8 bits: inputs, and results of operators that do arithmetic
  std::set<ValueId> rounded;
  // axis of output channels of each constant that is a weight; negative: counted from the end
  std::map<ValueId, int> weights;
};

// Finds the stored values and the weights of the main graph; values inside the graphs of If, Loop and Scan
// are not examined.
StoredValues findStoredValues(const Graph &graph);

} // namespace tilerig::reference
