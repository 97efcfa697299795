// The nodes of one graph on their way into operations: the model's graph, or one inside a node, whose
// operations then stand where the node stood.
#pragma once

#include "compiler/Import/Import.h"
#include "compiler/Import/NodeReader.h"
#include "compiler/Import/Operators.h"

#include <map>

namespace tilerig {

// What all graphs of a model share while it is imported.
struct Importing {
  const OnnxFile &file;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  int64_t numNodes = 0; // so far, those of unrolled loops each time

  mlir::MLIRContext &context() const { return *builder.getContext(); }
  // A name, and what is inside.
  mlir::Location locationOf(const std::string &name, llvm::ArrayRef<mlir::Location> inside = {}) const;
};

class GraphImporter {
public:
  // `prefix` stands before the names of nodes. The graph is sound (Soundness.h).
  GraphImporter(Importing &shared, const onnx::GraphProto &graph, GraphImporter *outer, std::string prefix);

  // Makes a value known by a name; an error if there is one of that name.
  Status define(const std::string &name, mlir::Value value);
  Status importNodes();
  // The value of a name: defined already, an initialiser that is now needed for the first time, or of an
  // enclosing graph.
  Result<mlir::Value> valueOf(const std::string &name, const std::string &reader);
  // The values that the graph gives.
  Result<Values> outputs();

  // Another graph inside this one, here, on these inputs; what it gives.
  ImportedValues inlined(const onnx::GraphProto &inner, llvm::ArrayRef<mlir::Value> inputs,
                         const std::string &prefix);
  bool hasInitialiser(const std::string &name) const { return initialisers.contains(name); }
  // The type that the model states for a value; sizes that it leaves open are open. None if it states none.
  mlir::RankedTensorType declaredType(const std::string &name) const;

private:
  void nameResults(mlir::Block::iterator first, const std::string &node, const Values &made,
                   llvm::ArrayRef<mlir::Location> results);
  Status importNode(const onnx::NodeProto &node, int index);
  ImportedValues import(const NodeReader &reader);
  ImportedValues kept(const NodeReader &reader);

  Importing &shared;
  const onnx::GraphProto &graph;
  GraphImporter *outer;
  std::string prefix;
  std::map<std::string, const onnx::TensorProto *> initialisers;
  std::map<std::string, const onnx::ValueInfoProto *> declared;
  std::map<std::string, mlir::Value> values;
};

} // namespace tilerig
