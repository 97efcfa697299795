// RUN: tilerig-compile %s --from graph --precision fp16 --tiles 2 --emit=cpp --strategy-to %t.json -o %t.cpp
// RUN: FileCheck %s < %t.cpp
// The generated session keeps the options that say how to compile, but not the names of input and output
// files.

// CHECK: // A session with {{.*}}, on 2 tiles of tr64: written by `tilerig compile --emit cpp`, to start from.
// CHECK: StrategyFile layers() {
// CHECK: {.id = {{[0-9]+}}, .op = "MATMUL", .toLayerIds = {
// CHECK-NEXT: .firstOnnxOp = "a \"quoted\" \\ name\?\?/", .lastOnnxOp = "after\012it\377é",
// CHECK-NEXT: .applied = {{.*}}"{{SAMM1|SAMM2|LAMM}}"}, .hints = {}, .tiles = {{[12]}}, .parts = {
// CHECK: void optimise(StrategyFile &) {}
// CHECK: std::initializer_list<const char *>{"--from", "graph", "--precision", "fp16", "--tiles", "2"})
// CHECK: CHECK_OK(all.add("x", Tensor(DType::f32, {2, 3})));
// CHECK: int main(
module @network {
  func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x2xf32> {graph.name = "y"}) {
    %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
    %p = graph.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32> loc("a \22quoted\22 \\ name??/")
    %y = graph.relu %p : tensor<2x2xf32> loc("after\0Ait\FF\C3\A9")
    return %y : tensor<2x2xf32>
  }
}
