// Which values of a graph a device with 8-bit memories would store, and which constants are weights: what an
// interpreter without a compiler can tell from the graph alone.
//
// A value is stored unless the only node that reads it is an element-wise function of it with constants
// (activation, batch normalisation, bias), which devices compute before they store. What only moves elements,
// or picks the larger ones, gives elements that are stored already.
#pragma once

#include "reference/Model/Graph.h"

#include <map>
#include <set>

namespace tilerig::reference {

struct StoredValues {
  std::set<ValueId> rounded;      // inputs, and results of operators that compute
  std::map<ValueId, int> weights; // constants, with their axis of outputs; from -1 backwards from the last
};

// Of the main graph; values inside the graphs of If, Loop and Scan are not looked at.
StoredValues findStoredValues(const Graph &graph);

} // namespace tilerig::reference
