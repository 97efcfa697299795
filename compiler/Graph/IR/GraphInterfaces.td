// Interfaces of operations of the dialect `graph`.
#ifndef TILERIG_GRAPH_INTERFACES
#define TILERIG_GRAPH_INTERFACES

include "mlir/IR/Interfaces.td"

def Graph_OnnxOperator : OpInterface<"OnnxOperator"> {
  let cppNamespace = "::tilerig::compiler::graph";
  let description = [{
    An operation that is an operator of ONNX. Operations have these methods from Graph_Op, to which their definitions
    state the names.
  }];
  let methods = [
    StaticInterfaceMethod<"the name of the operator", "::llvm::StringRef", "getOnnxType", (ins), [{
      return ConcreteOp::onnxType;
    }]>,
    StaticInterfaceMethod<"the name of an attribute in ONNX", "::std::string", "getOnnxName",
                          (ins "::llvm::StringRef":$attribute), [{
      return ConcreteOp::onnxName(attribute);
    }]>,
  ];
}

#endif // TILERIG_GRAPH_INTERFACES
