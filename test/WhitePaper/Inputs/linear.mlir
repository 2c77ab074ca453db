tapestry.graph @g {
  %X = tapestry.source "X" : tensor<10x7xf32>
  %W = tapestry.source "W" : tensor<7x6xf32>
  %b = tapestry.source "b" : tensor<6xf32>
  %Y = tapestry.operator "Y" "linear"(%X, %W, %b) : (tensor<10x7xf32>, tensor<7x6xf32>, tensor<6xf32>) -> tensor<10x6xf32>
  %Z = tapestry.einsum "Z" [batch = 10, out = 6] (%Y[batch, out]) -> [batch, out] {
  ^bb0(%y: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.maximumf %y, %zero : f32
    tapestry.yield %0 : f32
  } : (tensor<10x6xf32>) -> tensor<10x6xf32>
  tapestry.sink "Z", %Z : tensor<10x6xf32>
}
