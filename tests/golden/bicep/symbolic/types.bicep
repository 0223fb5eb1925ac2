@export()
@description('A rule.')
type rule = {
  name: string
  ports: (80 | 443)[]
  action: 'Allow' | 'Deny'?
  *: string
}

type hidden = 'a' | 'b'

@export()
type chosen = { kind: hidden, @secure() token: string }

var base = ['x', 'y']

@export()
var all = map(base, item => toUpper(item))

@export()
@description('Joins two names.')
func joined(a string, b string) string => '${a}-${b}'
