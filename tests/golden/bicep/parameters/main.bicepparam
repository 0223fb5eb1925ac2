using 'main.bicep'
extends 'base.bicepparam'

var parts = ['a', 'b']
var pairs = [for (part, i) in parts: { name: part, at: i }]

param name = toUpper(join(parts, '-'))
param tags = {
  region: base.region
  list: map(parts, part => '${part}!')
  input: readEnvironmentVariable('NOT_READ', 'default')
}
param password = az.getSecret('sub', 'group', 'vault', 'secret')
param rules = [for (pair, i) in pairs: {
  name: '${pair.name}${i}'
  ports: [for port in range(80, i + 1): port * (pair.at + 1)]
}]
