// Imports the nodes of one ONNX graph as operations: the model's graph, or a subgraph, whose operations are
// inserted in place of the node that contains it.
#pragma once

#include "compiler/Graph/Import/Import.h"
#include "compiler/Graph/Import/NodeReader.h"
#include "compiler/Graph/Import/OpenTensors.h"
#include "compiler/Graph/Import/Operators.h"

#include <map>

namespace tilerig::compiler {

// State shared by all graphs of a model during import.
struct Importing {
  const OnnxFile &file;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  OpenTensors open{};   // values whose shapes depend on data
  int64_t numNodes = 0; // nodes imported so far; those of an unrolled loop count once per iteration

  mlir::MLIRContext &context() const { return *builder.getContext(); }
  // An MLIR location with this name, which contains the locations `inside`.
  mlir::Location locationOf(const std::string &name, llvm::ArrayRef<mlir::Location> inside = {}) const;
};

class GraphImporter {
public:
  // `prefix` is put in front of the names of nodes. The graph must have passed checkSoundness()
  // (Soundness.h).
  GraphImporter(Importing &shared, const onnx::GraphProto &graph, GraphImporter *outer, std::string prefix);

  // Binds a name to a value; an error if the name is bound already.
  Status define(const std::string &name, mlir::Value value);
  Status importNodes();
  // The value bound to a name. Initialisers are imported when first needed; unknown names are looked up in
  // enclosing graphs. `reader` is named in the error.
  Result<mlir::Value> valueOf(const std::string &name, const std::string &reader);
  // The MLIR values of the imported graph's outputs, in order.
  Result<Values> outputs();

  // Imports another graph at the current position, with these values as its inputs; returns its outputs.
  ImportedValues inlined(const onnx::GraphProto &inner, llvm::ArrayRef<mlir::Value> inputs,
                         const std::string &prefix);
  bool hasInitialiser(const std::string &name) const { return initialisers.contains(name); }
  // Whether this graph, or a graph around it, has computed the tensor of this name or has it as an initialiser.
  bool isVisible(const std::string &name) const {
    return values.contains(name) || hasInitialiser(name) || (outer && outer->isVisible(name));
  }
  mlir::OpBuilder &builder() { return shared.builder; }
  OpenTensors &open() { return shared.open; }
  // Removes the operations behind `last` at the current position; all if it is null.
  void eraseBehind(mlir::Operation *last);
  // The type that the model declares for a value, with dynamic sizes where the model leaves them open; null
  // if the model declares no type for it.
  mlir::RankedTensorType declaredType(const std::string &name) const;
  // The type that a declaration of a value states, as for declaredType().
  mlir::RankedTensorType typeOf(const onnx::ValueInfoProto &info) const;

private:
  void nameResults(mlir::Block::iterator first, const std::string &node, const Values &imported,
                   llvm::ArrayRef<mlir::Location> results);
  Status importNode(const onnx::NodeProto &node, int index);
  ImportedValues import(const NodeReader &reader);
  ImportedValues kept(const NodeReader &reader);
  ImportedValues importOwn(const NodeReader &reader, const Importer &importer);
  ImportedValues keptOrOpen(const NodeReader &reader);
  mlir::Operation *lastOperation() const;

  Importing &shared;
  const onnx::GraphProto &graph;
  GraphImporter *outer;
  std::string prefix;
  std::map<std::string, const onnx::TensorProto *> initialisers;
  std::map<std::string, const onnx::ValueInfoProto *> declared;
  std::map<std::string, mlir::Value> values;
};

} // namespace tilerig::compiler
