// Two layers of a language model, each with the approximation of GELU, as a text of the level `graph`.
//   tilerig compile layers.mlir --from graph --passes "func.func(cse)" --emit onnx -o layers.onnx
module {
  func.func @main(%x: tensor<16x8xf32> {graph.name = "x"}) -> (tensor<16x8xf32> {graph.name = "y"}) {
    %half = graph.constant dense<0.5> : tensor<f32> loc("half")
    %one = graph.constant dense<1.0> : tensor<f32> loc("one")
    %three = graph.constant dense<3.0> : tensor<f32> loc("three")
    %scale = graph.constant dense<0.797884583> : tensor<f32> loc("scale")
    %cubic = graph.constant dense<0.044715> : tensor<f32> loc("cubic")
    %firstw = graph.constant dense<[[0.057, 0.750, -0.559, 0.595, -0.155, -0.157, 1.140, 0.095], [-0.026, 0.438, 0.676, -0.019, 0.353, -0.584, -0.220, -0.263], [-0.799, -0.905, -0.976, -0.143, -0.103, -0.192, 0.041, -0.801], [-0.048, 0.143, 0.451, -0.508, -0.240, -1.209, -0.302, -1.318], [-0.852, 0.661, -1.321, 0.479, 0.197, -0.187, 0.276, 0.316], [0.627, -0.138, -0.355, -0.363, -0.592, -0.027, -0.471, 0.641], [-1.122, -0.656, -0.572, -1.256, 1.141, -1.445, -0.170, -0.315], [0.994, -1.191, 0.643, -0.439, -0.093, -0.403, 0.384, -0.683]]> : tensor<8x8xf32> loc("first.weights")
    %firstx = graph.matmul %x, %firstw : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32> loc("first.product"("first.product"))
    %firstp = graph.pow %firstx, %three : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32> loc("first.cube"("first.cube"))
    %firstk = graph.mul %firstp, %cubic : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32> loc("first.cubic"("first.cubic"))
    %firsts = graph.add %firstx, %firstk : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32> loc("first.sum"("first.sum"))
    %firstz = graph.mul %firsts, %scale : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32> loc("first.scaled"("first.scaled"))
    %firstt = graph.tanh %firstz : tensor<16x8xf32> loc("first.tanh"("first.tanh"))
    %firstg = graph.add %firstt, %one : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32> loc("first.gate"("first.gate"))
    %firsth = graph.mul %firstx, %half : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32> loc("first.half"("first.half"))
    %firsty = graph.mul %firsth, %firstg : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32> loc("first.gelu"("first.gelu"))
    %secondw = graph.constant dense<[[-0.047, 0.212, 1.104, -1.443, 0.915, 0.569, -0.290, 0.183], [-0.280, 0.988, 0.126, -0.129, -0.137, -0.120, -0.106, -0.527], [1.235, -1.147, -2.163, -0.074, -0.088, 0.223, -0.123, -0.089], [0.199, 0.581, -0.269, -0.224, 1.164, 0.318, -0.591, 1.394], [0.466, -0.353, -0.705, 0.179, -0.499, -0.635, -0.778, -0.304], [0.665, -0.260, -0.870, 0.401, 0.039, 0.506, 0.721, -0.101], [-0.087, -0.027, -0.681, 0.401, 0.823, 0.104, -0.142, -0.156], [-0.468, -0.482, -0.241, -0.505, -0.262, -0.946, 0.210, 0.029]]> : tensor<8x8xf32> loc("second.weights")
    %secondx = graph.matmul %firsty, %secondw : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32> loc("second.product"("second.product"))
    %secondp = graph.pow %secondx, %three : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32> loc("second.cube"("second.cube"))
    %secondk = graph.mul %secondp, %cubic : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32> loc("second.cubic"("second.cubic"))
    %seconds = graph.add %secondx, %secondk : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32> loc("second.sum"("second.sum"))
    %secondz = graph.mul %seconds, %scale : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32> loc("second.scaled"("second.scaled"))
    %secondt = graph.tanh %secondz : tensor<16x8xf32> loc("second.tanh"("second.tanh"))
    %secondg = graph.add %secondt, %one : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32> loc("second.gate"("second.gate"))
    %secondh = graph.mul %secondx, %half : (tensor<16x8xf32>, tensor<f32>) -> tensor<16x8xf32> loc("second.half"("second.half"))
    %secondy = graph.mul %secondh, %secondg : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32> loc("second.gelu"("y"))
    return %secondy : tensor<16x8xf32>
  }
}
