using none

var area = 'eu'
param region = 'west${area}'
param count = 2
param unused = 'dropped'
