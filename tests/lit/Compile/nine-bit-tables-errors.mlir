// RUN: not tilerig-compile %s --from layer -o %t.trb 2>&1 | FileCheck %s

// The entries of a product's table have eight bits.
// CHECK: the lookup table of a product has 8-bit entries, so a function with a 9-bit result can only clamp
func.func @main(%x: tensor<2x4x!quant.uniform<i8:f32, 5.0e-01>> {graph.name = "x"}) -> (tensor<2x2x!quant.uniform<i8:f32, 1.0e-02>> {graph.name = "y"}) {
  %w = layer.constant dense<1> : tensor<2x4xi8> as tensor<2x4x!quant.uniform<i8<-127:127>:f32, 5.0e-01>> loc("w")
  %p = layer.matmul %x, %w then <tanh> : (tensor<2x4x!quant.uniform<i8:f32, 5.0e-01>>, tensor<2x4x!quant.uniform<i8<-127:127>:f32, 5.0e-01>>) -> tensor<2x2x!quant.uniform<i16<-256:255>:f32, 1.0e-02>> loc("p"("p"))
  %y = layer.activate %p : (tensor<2x2x!quant.uniform<i16<-256:255>:f32, 1.0e-02>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0e-02>> loc("q"("y"))
  return %y : tensor<2x2x!quant.uniform<i8:f32, 1.0e-02>>
}
