// Kernels that are timed on GPUs (time_kernels, torch_kernels.py), 64 MiB and more, so that
// launches and caches count for little. The name of an input of integers says what its
// values are below: below_1 are all 0.

smp.entry @add(%x: tensor<16384x4096xf32> {smp.name = "x"}, %y: tensor<16384x4096xf32> {smp.name = "y"}) -> (tensor<16384x4096xf32> {smp.name = "z"}) {
  %z = smp.add %x, %y : tensor<16384x4096xf32>
  smp.return %z : tensor<16384x4096xf32>
}

smp.entry @gelu(%x: tensor<16384x4096xf32> {smp.name = "x"}) -> (tensor<16384x4096xf32> {smp.name = "z"}) {
  %z = smp.gelu %x : tensor<16384x4096xf32>
  smp.return %z : tensor<16384x4096xf32>
}

smp.entry @transpose(%x: tensor<16384x4096xf32> {smp.name = "x"}) -> (tensor<4096x16384xf32> {smp.name = "y"}) {
  %y = smp.transpose %x {permutation = array<i64: 1, 0>} : (tensor<16384x4096xf32>) -> tensor<4096x16384xf32>
  smp.return %y : tensor<4096x16384xf32>
}

smp.entry @softmax(%x: tensor<65536x1024xf32> {smp.name = "x"}) -> (tensor<65536x1024xf32> {smp.name = "y"}) {
  %y = smp.softmax %x {axis = 1 : i64} : tensor<65536x1024xf32>
  smp.return %y : tensor<65536x1024xf32>
}

smp.entry @softmax_backward(%y: tensor<65536x1024xf32> {smp.name = "y"}, %d: tensor<65536x1024xf32> {smp.name = "d"}) -> (tensor<65536x1024xf32> {smp.name = "g"}) {
  %p = smp.mul %y, %d : tensor<65536x1024xf32>
  %s = smp.reduce sum %p {dimensions = array<i64: 1>} : (tensor<65536x1024xf32>) -> tensor<65536xf32>
  %b = smp.broadcast %s {dimensions = array<i64: 0>} : tensor<65536xf32> to tensor<65536x1024xf32>
  %c = smp.sub %d, %b : tensor<65536x1024xf32>
  %g = smp.mul %y, %c : tensor<65536x1024xf32>
  smp.return %g : tensor<65536x1024xf32>
}

smp.entry @layer_norm(%x: tensor<65536x1024xf32> {smp.name = "x"}, %s: tensor<1024xf32> {smp.name = "s"}, %b: tensor<1024xf32> {smp.name = "b"}) -> (tensor<65536x1024xf32> {smp.name = "y"}) {
  %y = smp.layer_norm %x, %s, %b {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<65536x1024xf32>, tensor<1024xf32>, tensor<1024xf32>) -> tensor<65536x1024xf32>
  smp.return %y : tensor<65536x1024xf32>
}

// Of the input, from it and what the forward work keeps: mean and 1/deviation.
smp.entry @layer_norm_backward(%x: tensor<65536x1024xf32> {smp.name = "x"}, %d: tensor<65536x1024xf32> {smp.name = "d"}, %s: tensor<1024xf32> {smp.name = "s"}, %m: tensor<65536xf32> {smp.name = "m"}, %r: tensor<65536xf32> {smp.name = "r"}) -> (tensor<65536x1024xf32> {smp.name = "g"}) {
  %mb = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<65536xf32> to tensor<65536x1024xf32>
  %rb = smp.broadcast %r {dimensions = array<i64: 0>} : tensor<65536xf32> to tensor<65536x1024xf32>
  %sb = smp.broadcast %s {dimensions = array<i64: 1>} : tensor<1024xf32> to tensor<65536x1024xf32>
  %c = smp.sub %x, %mb : tensor<65536x1024xf32>
  %h = smp.mul %c, %rb : tensor<65536x1024xf32>
  %e = smp.mul %d, %sb : tensor<65536x1024xf32>
  %eh = smp.mul %e, %h : tensor<65536x1024xf32>
  %n1 = smp.reduce sum %e {dimensions = array<i64: 1>} : (tensor<65536x1024xf32>) -> tensor<65536xf32>
  %n2 = smp.reduce sum %eh {dimensions = array<i64: 1>} : (tensor<65536x1024xf32>) -> tensor<65536xf32>
  %k = smp.constant dense<9.765625e-4> : tensor<65536xf32>
  %m1 = smp.mul %n1, %k : tensor<65536xf32>
  %m2 = smp.mul %n2, %k : tensor<65536xf32>
  %b1 = smp.broadcast %m1 {dimensions = array<i64: 0>} : tensor<65536xf32> to tensor<65536x1024xf32>
  %b2 = smp.broadcast %m2 {dimensions = array<i64: 0>} : tensor<65536xf32> to tensor<65536x1024xf32>
  %p = smp.mul %h, %b2 : tensor<65536x1024xf32>
  %q = smp.sub %e, %b1 : tensor<65536x1024xf32>
  %t = smp.sub %q, %p : tensor<65536x1024xf32>
  %g = smp.mul %t, %rb : tensor<65536x1024xf32>
  smp.return %g : tensor<65536x1024xf32>
}

smp.entry @rms_norm(%x: tensor<65536x1024xf32> {smp.name = "x"}, %s: tensor<1024xf32> {smp.name = "s"}) -> (tensor<65536x1024xf32> {smp.name = "y"}) {
  %y = smp.rms_norm %x, %s {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<65536x1024xf32>, tensor<1024xf32>) -> tensor<65536x1024xf32>
  smp.return %y : tensor<65536x1024xf32>
}

// The mean over rows of what the label's class costs.
smp.entry @cross_entropy(%x: tensor<8192x16384xf32> {smp.name = "x"}, %l: tensor<8192xi64> {smp.name = "below_16384"}) -> (tensor<f32> {smp.name = "y"}) {
  %p = smp.log_softmax %x {axis = 1 : i64} : tensor<8192x16384xf32>
  %c = smp.reshape %l : tensor<8192xi64> to tensor<8192x1xi64>
  %v = smp.gather_elements %p, %c {axis = 1 : i64} : (tensor<8192x16384xf32>, tensor<8192x1xi64>) -> tensor<8192x1xf32>
  %s = smp.reduce sum %v {dimensions = array<i64: 0, 1>} : (tensor<8192x1xf32>) -> tensor<f32>
  %n = smp.constant dense<1.220703125e-4> : tensor<f32>
  %m = smp.mul %s, %n : tensor<f32>
  %y = smp.neg %m : tensor<f32>
  smp.return %y : tensor<f32>
}

smp.entry @cross_entropy_backward(%x: tensor<8192x16384xf32> {smp.name = "x"}, %l: tensor<8192xi64> {smp.name = "below_16384"}) -> (tensor<8192x16384xf32> {smp.name = "g"}) {
  %p = smp.softmax %x {axis = 1 : i64} : tensor<8192x16384xf32>
  %i = smp.iota 1 : tensor<8192x16384xi64>
  %b = smp.broadcast %l {dimensions = array<i64: 0>} : tensor<8192xi64> to tensor<8192x16384xi64>
  %h = smp.compare eq %i, %b : (tensor<8192x16384xi64>, tensor<8192x16384xi64>) -> tensor<8192x16384xi1>
  %one = smp.constant dense<1.0> : tensor<8192x16384xf32>
  %c = smp.sub %p, %one : tensor<8192x16384xf32>
  %s = smp.select %h, %c, %p : tensor<8192x16384xi1>, tensor<8192x16384xf32>
  %n = smp.constant dense<1.220703125e-4> : tensor<8192x16384xf32>
  %g = smp.mul %s, %n : tensor<8192x16384xf32>
  smp.return %g : tensor<8192x16384xf32>
}

// The first step; abs, because the second moments here are random.
smp.entry @adamw(%p: tensor<16384x4096xf32> {smp.name = "p"}, %g: tensor<16384x4096xf32> {smp.name = "g"}, %m: tensor<16384x4096xf32> {smp.name = "m"}, %v: tensor<16384x4096xf32> {smp.name = "v"}) -> (tensor<16384x4096xf32> {smp.name = "p1"}, tensor<16384x4096xf32> {smp.name = "m1"}, tensor<16384x4096xf32> {smp.name = "v1"}) {
  %b1 = smp.constant dense<0.9> : tensor<16384x4096xf32>
  %c1 = smp.constant dense<0.1> : tensor<16384x4096xf32>
  %b2 = smp.constant dense<0.999> : tensor<16384x4096xf32>
  %c2 = smp.constant dense<0.001> : tensor<16384x4096xf32>
  %eps = smp.constant dense<1.0e-8> : tensor<16384x4096xf32>
  %lr = smp.constant dense<1.0e-3> : tensor<16384x4096xf32>
  %keep = smp.constant dense<0.99999> : tensor<16384x4096xf32>
  %u1 = smp.constant dense<1.0e+1> : tensor<16384x4096xf32>
  %u2 = smp.constant dense<1.0e+3> : tensor<16384x4096xf32>
  %m0 = smp.mul %m, %b1 : tensor<16384x4096xf32>
  %g1 = smp.mul %g, %c1 : tensor<16384x4096xf32>
  %m1 = smp.add %m0, %g1 : tensor<16384x4096xf32>
  %v0 = smp.mul %v, %b2 : tensor<16384x4096xf32>
  %gg = smp.mul %g, %g : tensor<16384x4096xf32>
  %g2 = smp.mul %gg, %c2 : tensor<16384x4096xf32>
  %v1 = smp.add %v0, %g2 : tensor<16384x4096xf32>
  %mh = smp.mul %m1, %u1 : tensor<16384x4096xf32>
  %vh = smp.mul %v1, %u2 : tensor<16384x4096xf32>
  %vp = smp.abs %vh : tensor<16384x4096xf32>
  %sq = smp.sqrt %vp : tensor<16384x4096xf32>
  %dn = smp.add %sq, %eps : tensor<16384x4096xf32>
  %up = smp.div %mh, %dn : tensor<16384x4096xf32>
  %st = smp.mul %up, %lr : tensor<16384x4096xf32>
  %pk = smp.mul %p, %keep : tensor<16384x4096xf32>
  %p1 = smp.sub %pk, %st : tensor<16384x4096xf32>
  smp.return %p1, %m1, %v1 : tensor<16384x4096xf32>, tensor<16384x4096xf32>, tensor<16384x4096xf32>
}

smp.entry @sum_all(%x: tensor<16384x4096xf32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 0, 1>} : (tensor<16384x4096xf32>) -> tensor<f32>
  smp.return %y : tensor<f32>
}

smp.entry @sum_rows(%x: tensor<65536x1024xf32> {smp.name = "x"}) -> (tensor<65536xf32> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<65536x1024xf32>) -> tensor<65536xf32>
  smp.return %y : tensor<65536xf32>
}

smp.entry @sum_columns(%x: tensor<65536x1024xf32> {smp.name = "x"}) -> (tensor<1024xf32> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 0>} : (tensor<65536x1024xf32>) -> tensor<1024xf32>
  smp.return %y : tensor<1024xf32>
}

smp.entry @embedding_gradient(%i: tensor<8192x1xi64> {smp.name = "below_50257"}, %d: tensor<8192x768xf32> {smp.name = "d"}) -> (tensor<50257x768xf32> {smp.name = "g"}) {
  %z = smp.constant dense<0.0> : tensor<50257x768xf32>
  %g = smp.scatter_nd %z, %i, %d {kind = #smp.scatter_kind<sum>} : (tensor<50257x768xf32>, tensor<8192x1xi64>, tensor<8192x768xf32>) -> tensor<50257x768xf32>
  smp.return %g : tensor<50257x768xf32>
}

smp.entry @embedding_gradient_equal(%i: tensor<8192x1xi64> {smp.name = "below_1"}, %d: tensor<8192x768xf32> {smp.name = "d"}) -> (tensor<50257x768xf32> {smp.name = "g"}) {
  %z = smp.constant dense<0.0> : tensor<50257x768xf32>
  %g = smp.scatter_nd %z, %i, %d {kind = #smp.scatter_kind<sum>} : (tensor<50257x768xf32>, tensor<8192x1xi64>, tensor<8192x768xf32>) -> tensor<50257x768xf32>
  smp.return %g : tensor<50257x768xf32>
}

smp.entry @product_1024(%a: tensor<1024x1024xf32> {smp.name = "a"}, %b: tensor<1024x1024xf32> {smp.name = "b"}) -> (tensor<1024x1024xf32> {smp.name = "c"}) {
  %c = smp.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  smp.return %c : tensor<1024x1024xf32>
}

smp.entry @product_4096(%a: tensor<4096x4096xf32> {smp.name = "a"}, %b: tensor<4096x4096xf32> {smp.name = "b"}) -> (tensor<4096x4096xf32> {smp.name = "c"}) {
  %c = smp.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  smp.return %c : tensor<4096x4096xf32>
}
