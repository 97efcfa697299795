// Parts of an ONNX model as models of their own: its first nodes (a shortened network), or any set of its nodes.
//
// Nodes are numbered in a topological order, the file's own where that is one. Nodes of the operator Constant are not
// numbered: each subnetwork has those that it reads.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "verify/Check/SourceModel.h"

#include <map>
#include <onnx/onnx_pb.h>
#include <set>
#include <string>
#include <vector>

namespace tilerig::verify {

using NodeIndex = size_t;

class Subnetworks {
public:
  static Result<Subnetworks> of(const SourceModel &source);

  size_t size() const { return order.size(); }
  const onnx::NodeProto &node(NodeIndex index) const { return graph().node(order[index]); }
  // The node's name or, if it has none, the name that the compiler gives it, by its operator and its place in the file.
  std::string nameOf(NodeIndex index) const;
  // The node that computes a value; nothing if none of the numbered nodes does.
  std::optional<NodeIndex> producerOf(const std::string &value) const;
  // The node with this name (nameOf()), or the one that calls the function of an inlined node with this name. Nothing if
  // there is none, or if several nodes have the name.
  std::optional<NodeIndex> nodeNamed(const std::string &name) const;
  // The names of the files with external data.
  std::set<std::string> dataFiles() const;
  // Nodes of which a value is read by more than one node.
  size_t branchPoints() const;
  // The nodes that compute what a node reads, ascending.
  std::vector<NodeIndex> readBy(NodeIndex index) const;

  // The model's first `length` nodes. Its outputs are the values that the nodes left out read, and the outputs of the
  // whole model that it computes.
  Result<SourceModel> shortened(size_t length) const;
  // The model of some nodes, given in ascending order. What they read and other nodes compute are inputs of the model,
  // with the types and shapes of `values`; but integers that describe shapes (at most one axis) become constants.
  // `name` is the name of the model.
  Result<SourceModel> madeOf(const std::vector<NodeIndex> &nodes, const TensorMap &values,
                             const std::string &name) const;
  // Those of the tensors that are inputs of a model.
  static Result<TensorMap> inputsOf(const SourceModel &model, const TensorMap &tensors);

private:
  explicit Subnetworks(const SourceModel &source) : source(source) {}

  const onnx::GraphProto &graph() const { return model->graph(); }
  Status sortNodes();
  void findReaders();
  onnx::ModelProto frameOf(const std::vector<NodeIndex> &nodes) const;
  void addOutputs(const std::vector<NodeIndex> &nodes, onnx::GraphProto &to) const;
  void addOutput(const std::string &value, onnx::GraphProto &to) const;
  Status addRead(const std::vector<NodeIndex> &nodes, const TensorMap *values, onnx::GraphProto &to) const;
  void declare(const std::string &value, onnx::ValueInfoProto &to) const;

  SourceModel source;
  std::shared_ptr<const onnx::ModelProto> model;
  std::vector<int> order; // positions of the numbered nodes in the file
  std::map<std::string, NodeIndex> producers, names;
  std::set<std::string> ambiguous;      // names that several nodes have
  std::map<std::string, int> constants; // positions of the Constant nodes, by the values that they compute
  std::map<std::string, const onnx::TensorProto *> initialisers;
  std::map<std::string, const onnx::ValueInfoProto *> declared; // inputs, outputs and intermediate values
  std::map<std::string, std::vector<NodeIndex>> readers;
};

} // namespace tilerig::verify
