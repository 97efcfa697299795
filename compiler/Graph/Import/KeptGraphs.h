// Keeps subgraphs that are not inlined: the bodies of loops whose steps are counted only at run time, and
// branches that are not valid for the shapes of this compilation. Their node becomes an opaque operation, and
// they become attributes of it.
//
// A body is imported into a module of its own and exported from there, so that it is in the newest operator set,
// like everything that the compiler exports. If it cannot be imported, for example because the shape of a
// tensor depends on data, it is kept as the model has it, provided that its operators have not changed since
// the operator set of the model, except for axes that were attributes and are inputs now.
#pragma once

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/Import/GraphImporter.h"
#include "compiler/Graph/Import/Opaque.h"

#include <set>

namespace tilerig::compiler {

using TensorTypes = llvm::SmallVector<mlir::RankedTensorType>;

struct LoopBody : KeptGraph {
  TensorTypes results; // types of the body's outputs
};

// Imports the initialisers of graphs around a subgraph that the subgraph reads. After that, importing the
// subgraph does not add any operations that other nodes could read.
Status importCaptured(GraphImporter &around, const onnx::GraphProto &subgraph);

// Imports the body of a node, with inputs of these types.
Result<LoopBody> importBody(GraphImporter &around, const NodeReader &node, const onnx::GraphProto &body,
                            llvm::ArrayRef<mlir::Type> inputs);
// The results of a node with this body as an opaque operation. `types` are the types of the results; sizes
// that depend on the number of steps are dynamic, unless the model declares them.
ImportedValues keepLoop(GraphImporter &around, const NodeReader &node, const LoopBody &body,
                        TensorTypes types);

// The names of the tensors that a graph reads and does not define itself.
std::set<std::string> namesReadBy(const onnx::GraphProto &graph);
// Converts the nodes of a graph to the operator set of everything that the compiler exports; refuses those that cannot
// be kept as they are.
Status renewGraph(const NodeReader &node, onnx::GraphProto &graph);

// Keeps a subgraph as the model has it.
Result<KeptGraph> graphAsIs(GraphImporter &around, const NodeReader &node, onnx::GraphProto graph);
// A subgraph that returns these values of the graph around it.
Result<KeptGraph> graphReturning(GraphImporter &around, const NodeReader &node, const Values &values);

} // namespace tilerig::compiler
