// Kernels that memory bounds, at sizes of which whole-tensor effects are small.

smp.entry @elementwise(%x: tensor<512x1024xf32> {smp.name = "x"}, %y: tensor<512x1024xf32> {smp.name = "y"}) -> (tensor<512x1024xf32> {smp.name = "z"}) {
  %s = smp.add %x, %y : tensor<512x1024xf32>
  %z = smp.tanh %s : tensor<512x1024xf32>
  smp.return %z : tensor<512x1024xf32>
}

// The last three elements are no vector.
smp.entry @elementwise_rest(%x: tensor<500003xf32> {smp.name = "x"}) -> (tensor<500003xf32> {smp.name = "z"}) {
  %z = smp.neg %x : tensor<500003xf32>
  smp.return %z : tensor<500003xf32>
}

smp.entry @elementwise_bf16(%x: tensor<512x1024xbf16> {smp.name = "x"}) -> (tensor<512x1024xbf16> {smp.name = "z"}) {
  %z = smp.neg %x : tensor<512x1024xbf16>
  smp.return %z : tensor<512x1024xbf16>
}

smp.entry @bias_activation(%x: tensor<1024x768xf32> {smp.name = "x"}, %b: tensor<768xf32> {smp.name = "b"}) -> (tensor<1024x768xf32> {smp.name = "z"}) {
  %c = smp.broadcast %b {dimensions = array<i64: 1>} : tensor<768xf32> to tensor<1024x768xf32>
  %s = smp.add %x, %c : tensor<1024x768xf32>
  %z = smp.tanh %s : tensor<1024x768xf32>
  smp.return %z : tensor<1024x768xf32>
}

smp.entry @transpose(%x: tensor<768x1024xf32> {smp.name = "x"}) -> (tensor<1024x768xf32> {smp.name = "y"}) {
  %y = smp.transpose %x {permutation = array<i64: 1, 0>} : (tensor<768x1024xf32>) -> tensor<1024x768xf32>
  smp.return %y : tensor<1024x768xf32>
}

smp.entry @transpose_bf16(%x: tensor<768x1024xbf16> {smp.name = "x"}) -> (tensor<1024x768xbf16> {smp.name = "y"}) {
  %y = smp.transpose %x {permutation = array<i64: 1, 0>} : (tensor<768x1024xbf16>) -> tensor<1024x768xbf16>
  smp.return %y : tensor<1024x768xbf16>
}

smp.entry @transpose_batch_add(%x: tensor<6x200x328xf32> {smp.name = "x"}, %b: tensor<6x328x200xf32> {smp.name = "b"}) -> (tensor<6x328x200xf32> {smp.name = "z"}) {
  %y = smp.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<6x200x328xf32>) -> tensor<6x328x200xf32>
  %z = smp.add %y, %b : tensor<6x328x200xf32>
  smp.return %z : tensor<6x328x200xf32>
}

smp.entry @transpose_heads(%x: tensor<4x128x8x64xf32> {smp.name = "x"}) -> (tensor<4x8x128x64xf32> {smp.name = "y"}) {
  %y = smp.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : (tensor<4x128x8x64xf32>) -> tensor<4x8x128x64xf32>
  smp.return %y : tensor<4x8x128x64xf32>
}

smp.entry @softmax(%x: tensor<1024x512xf32> {smp.name = "x"}) -> (tensor<1024x512xf32> {smp.name = "y"}) {
  %y = smp.softmax %x {axis = 1 : i64} : tensor<1024x512xf32>
  smp.return %y : tensor<1024x512xf32>
}

smp.entry @softmax_long(%x: tensor<128x4096xf32> {smp.name = "x"}) -> (tensor<128x4096xf32> {smp.name = "y"}) {
  %y = smp.softmax %x {axis = 1 : i64} : tensor<128x4096xf32>
  smp.return %y : tensor<128x4096xf32>
}

smp.entry @layer_norm(%x: tensor<4096x256xf32> {smp.name = "x"}, %s: tensor<256xf32> {smp.name = "s"}, %b: tensor<256xf32> {smp.name = "b"}) -> (tensor<4096x256xf32> {smp.name = "y"}) {
  %y = smp.layer_norm %x, %s, %b {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<4096x256xf32>, tensor<256xf32>, tensor<256xf32>) -> tensor<4096x256xf32>
  smp.return %y : tensor<4096x256xf32>
}

// Of the input, from it and what the forward work keeps; but for constant factors.
smp.entry @layer_norm_backward(%x: tensor<4096x256xf32> {smp.name = "x"}, %d: tensor<4096x256xf32> {smp.name = "d"}, %s: tensor<256xf32> {smp.name = "s"}, %m: tensor<4096xf32> {smp.name = "m"}, %r: tensor<4096xf32> {smp.name = "r"}) -> (tensor<4096x256xf32> {smp.name = "y"}) {
  %mb = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<4096xf32> to tensor<4096x256xf32>
  %rb = smp.broadcast %r {dimensions = array<i64: 0>} : tensor<4096xf32> to tensor<4096x256xf32>
  %sb = smp.broadcast %s {dimensions = array<i64: 1>} : tensor<256xf32> to tensor<4096x256xf32>
  %c = smp.sub %x, %mb : tensor<4096x256xf32>
  %h = smp.mul %c, %rb : tensor<4096x256xf32>
  %g = smp.mul %d, %sb : tensor<4096x256xf32>
  %gh = smp.mul %g, %h : tensor<4096x256xf32>
  %s1 = smp.reduce sum %g {dimensions = array<i64: 1>} : (tensor<4096x256xf32>) -> tensor<4096xf32>
  %s2 = smp.reduce sum %gh {dimensions = array<i64: 1>} : (tensor<4096x256xf32>) -> tensor<4096xf32>
  %b1 = smp.broadcast %s1 {dimensions = array<i64: 0>} : tensor<4096xf32> to tensor<4096x256xf32>
  %b2 = smp.broadcast %s2 {dimensions = array<i64: 0>} : tensor<4096xf32> to tensor<4096x256xf32>
  %p = smp.mul %h, %b2 : tensor<4096x256xf32>
  %q = smp.sub %g, %b1 : tensor<4096x256xf32>
  %t = smp.sub %q, %p : tensor<4096x256xf32>
  %y = smp.mul %t, %rb : tensor<4096x256xf32>
  smp.return %y : tensor<4096x256xf32>
}

// Of the scale.
smp.entry @layer_norm_scale(%x: tensor<4096x256xf32> {smp.name = "x"}, %d: tensor<4096x256xf32> {smp.name = "d"}, %m: tensor<4096xf32> {smp.name = "m"}, %r: tensor<4096xf32> {smp.name = "r"}) -> (tensor<256xf32> {smp.name = "y"}) {
  %mb = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<4096xf32> to tensor<4096x256xf32>
  %rb = smp.broadcast %r {dimensions = array<i64: 0>} : tensor<4096xf32> to tensor<4096x256xf32>
  %c = smp.sub %x, %mb : tensor<4096x256xf32>
  %h = smp.mul %c, %rb : tensor<4096x256xf32>
  %p = smp.mul %d, %h : tensor<4096x256xf32>
  %y = smp.reduce sum %p {dimensions = array<i64: 0>} : (tensor<4096x256xf32>) -> tensor<256xf32>
  smp.return %y : tensor<256xf32>
}

// The mean over rows of what the label's class costs.
smp.entry @cross_entropy(%x: tensor<256x4096xf32> {smp.name = "x"}, %l: tensor<256x1xi64> {smp.name = "l"}) -> (tensor<f32> {smp.name = "y"}) {
  %p = smp.log_softmax %x {axis = 1 : i64} : tensor<256x4096xf32>
  %v = smp.gather_elements %p, %l {axis = 1 : i64} : (tensor<256x4096xf32>, tensor<256x1xi64>) -> tensor<256x1xf32>
  %s = smp.reduce sum %v {dimensions = array<i64: 0, 1>} : (tensor<256x1xf32>) -> tensor<f32>
  %n = smp.constant dense<-3.90625e-3> : tensor<f32>
  %y = smp.mul %s, %n : tensor<f32>
  smp.return %y : tensor<f32>
}

smp.entry @cross_entropy_backward(%x: tensor<256x4096xf32> {smp.name = "x"}, %l: tensor<256xi64> {smp.name = "l"}) -> (tensor<256x4096xf32> {smp.name = "y"}) {
  %p = smp.softmax %x {axis = 1 : i64} : tensor<256x4096xf32>
  %i = smp.iota 1 : tensor<256x4096xi64>
  %b = smp.broadcast %l {dimensions = array<i64: 0>} : tensor<256xi64> to tensor<256x4096xi64>
  %h = smp.compare eq %i, %b : (tensor<256x4096xi64>, tensor<256x4096xi64>) -> tensor<256x4096xi1>
  %one = smp.constant dense<1.0> : tensor<256x4096xf32>
  %c = smp.sub %p, %one : tensor<256x4096xf32>
  %s = smp.select %h, %c, %p : tensor<256x4096xi1>, tensor<256x4096xf32>
  %n = smp.constant dense<3.90625e-3> : tensor<256x4096xf32>
  %y = smp.mul %s, %n : tensor<256x4096xf32>
  smp.return %y : tensor<256x4096xf32>
}

smp.entry @sum_all(%x: tensor<768x1024xf32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 0, 1>} : (tensor<768x1024xf32>) -> tensor<f32>
  smp.return %y : tensor<f32>
}

smp.entry @sum_leading(%x: tensor<4096x256xf32> {smp.name = "x"}) -> (tensor<256xf32> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 0>} : (tensor<4096x256xf32>) -> tensor<256xf32>
  smp.return %y : tensor<256xf32>
}

smp.entry @sum_middle(%x: tensor<8x512x128xf32> {smp.name = "x"}) -> (tensor<8x128xf32> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<8x512x128xf32>) -> tensor<8x128xf32>
  smp.return %y : tensor<8x128xf32>
}

// Of what images have in each channel.
smp.entry @sum_channels(%x: tensor<16x32x28x28xf32> {smp.name = "x"}) -> (tensor<32xf32> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 0, 2, 3>} : (tensor<16x32x28x28xf32>) -> tensor<32xf32>
  smp.return %y : tensor<32xf32>
}

smp.entry @sum_leading_bf16(%x: tensor<4096x256xbf16> {smp.name = "x"}) -> (tensor<256xbf16> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 0>} : (tensor<4096x256xbf16>) -> tensor<256xbf16>
  smp.return %y : tensor<256xbf16>
}

smp.entry @concat_rows(%a: tensor<300x1024xf32> {smp.name = "a"}, %b: tensor<200x1024xf32> {smp.name = "b"}) -> (tensor<500x1024xf32> {smp.name = "y"}) {
  %y = smp.concat %a, %b {axis = 0 : i64} : (tensor<300x1024xf32>, tensor<200x1024xf32>) -> tensor<500x1024xf32>
  smp.return %y : tensor<500x1024xf32>
}

smp.entry @concat_columns(%a: tensor<512x384xf32> {smp.name = "a"}, %b: tensor<512x640xf32> {smp.name = "b"}) -> (tensor<512x1024xf32> {smp.name = "y"}) {
  %y = smp.concat %a, %b {axis = 1 : i64} : (tensor<512x384xf32>, tensor<512x640xf32>) -> tensor<512x1024xf32>
  smp.return %y : tensor<512x1024xf32>
}

smp.entry @pad_rows(%x: tensor<500x1024xf32> {smp.name = "x"}, %f: tensor<f32> {smp.name = "f"}) -> (tensor<512x1024xf32> {smp.name = "y"}) {
  %y = smp.pad %x, %f {high = array<i64: 8, 0>, interior = array<i64: 0, 0>, low = array<i64: 4, 0>} : (tensor<500x1024xf32>, tensor<f32>) -> tensor<512x1024xf32>
  smp.return %y : tensor<512x1024xf32>
}

// Each row begins one element further.
smp.entry @pad_columns(%x: tensor<512x1016xf32> {smp.name = "x"}, %f: tensor<f32> {smp.name = "f"}) -> (tensor<512x1024xf32> {smp.name = "y"}) {
  %y = smp.pad %x, %f {high = array<i64: 0, 7>, interior = array<i64: 0, 0>, low = array<i64: 0, 1>} : (tensor<512x1016xf32>, tensor<f32>) -> tensor<512x1024xf32>
  smp.return %y : tensor<512x1024xf32>
}
