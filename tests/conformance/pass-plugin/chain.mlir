module {
  func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}) -> (tensor<4x8xf32> {graph.name = "y"}) {
    %a = graph.constant dense<[1.5, 2.25, -3.0, 0.5, 1.0, 4.0, -2.5, 0.125]> : tensor<8xf32> loc("a")
    %b = graph.constant dense<[0.5, 1.25, 2.0, 3.5, -1.0, 2.0, 0.75, 1.0]> : tensor<8xf32> loc("b")
    %0 = graph.sub %x, %a : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> loc("first"("t0"))
    %1 = graph.sub %0, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> loc("second"("t1"))
    %2 = graph.mul %1, %a : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> loc("third"("t2"))
    %3 = graph.mul %2, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> loc("fourth"("t3"))
    %4 = graph.relu %3 : tensor<4x8xf32> loc("last"("y"))
    return %4 : tensor<4x8xf32>
  }
}
